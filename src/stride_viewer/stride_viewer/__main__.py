"""`python -m stride_viewer`: the program `stride_viewer`."""

from stride_viewer.main import main

main()
