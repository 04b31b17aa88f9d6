"""Packages that only a part of the library needs: loaded where they are used."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

from schafkopf import files


def load_extra(module: str, extra: str, package: str = "") -> ModuleType:
    """Import a module of a package that schafkopf does not install by itself.

    Args:
        module: full name of the module.
        extra: the extra of schafkopf that has the package.
        package: what pip is told, where that is not the name of the module's package; with an
            extra of its own ("ray[rllib]") it may be there without what that needs.

    Raises:
        ModuleNotFoundError: names the package and how to install it.
        FileNotFoundError: torch is loaded first, and the working folder was removed.
    """
    if module.startswith("torch") and "torch" not in sys.modules:
        files.check_working_folder()  # its MKL would end the process
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        top = module.split(".")[0]
        missing = (error.name or "").split(".")[0]
        if missing != top and not (missing and "[" in package):
            raise
        raise ModuleNotFoundError(
            f"{missing} is not installed: pip install {package or top}, or pip install "
            f"'schafkopf[{extra}]' where pip installed schafkopf",
            name=error.name,
        ) from error
