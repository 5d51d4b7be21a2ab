import { keepCompiled } from './keep-compiled.ts'

/** Runs in the executable, before the provider loads: what loads after it is kept compiled. */
keepCompiled(process.env)
