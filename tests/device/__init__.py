"""The kernel of env/device without and with a device: compiled by NVRTC, emulated, launched."""
