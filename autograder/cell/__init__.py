"""Everything that runs beside a learner's code. The whole folder goes into a learner's package, and
its Python into the sandbox; no file of it holds a solution or imports one."""
