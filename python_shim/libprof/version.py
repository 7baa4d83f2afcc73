"""The version of the package: that of the library it speaks to."""

__version__ = "0.1.0"
