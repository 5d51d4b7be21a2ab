// `node infra/start/launch/run.mjs <program> [args]`: starts a program of an installed copy in this process, as a
// service. It installs and builds nothing: without a bundle of the present sources it runs the sources.
import { dirname, join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { currentBundle, startOf, useBundle } from './bundles.mjs'
import { lateFlags, programs } from './programs.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const [, , name, ...args] = process.argv
const program = programs.find((one) => one.name === name)
if (program === undefined) {
  process.stderr.write(`usage: run.mjs ${programs.map((one) => one.name).join('|')} [args]\n`)
  process.exit(2)
}
for (const flag of lateFlags(program, process.execArgv)) setFlagsFromString(flag)
const bundle = currentBundle(root, program.name)
if (bundle !== null) useBundle(bundle)
const file = bundle === null ? join(root, program.entry) : join(bundle, startOf(program.name))
process.argv = [process.argv[0], file, ...args]
process.setSourceMapsEnabled(true)
await import(pathToFileURL(file).href)
