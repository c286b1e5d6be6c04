"""The parts of `adaptive.py`: one module each, with its command line, measurement and table."""
