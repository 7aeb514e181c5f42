"""`python -m stride_bringup` is the `stride` command."""

from stride_bringup.cli.main import main

main()
