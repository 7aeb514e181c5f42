"""`python -m stride_viewer`: the program `stride_viewer`."""

from stride_viewer.programs import stride_viewer

stride_viewer()
