// The one file in which the TOML library is compiled; all others see its declarations.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
