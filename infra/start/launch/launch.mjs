// `node infra/start/launch/launch.mjs [--development] <entry.ts> [args]`: the start of every npm script. It
// needs only Node and npm, installs the rest, and runs the entry. Plain JavaScript, because the system's Node
// may not support TypeScript.
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runToEnd } from './child.mjs'
import { isSupportedNode } from './decisions.mjs'
import { startOf, useBundle } from './bundles.mjs'
import { endWithParent } from './end-with-parent.mjs'
import { ensureBundle } from './ensure-bundle.mjs'
import { LaunchError, ensureDependencies, ensureNode } from './install.mjs'
import { nodeEnvironment, nodeFlags, programs } from './programs.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const print = (message) => process.stderr.write(`probe-mesh: ${message}\n`)

const launch = async (given) => {
  // Production needs neither tests nor tools.
  const needsDevelopment = given[0] === '--development'
  const [entry, ...args] = needsDevelopment ? given.slice(1) : given
  if (entry === undefined) {
    throw new LaunchError('usage: launch.mjs [--development] <entry.ts> [args]')
  }
  // Node first, so that npm runs on a supported version.
  const node = isSupportedNode(process.versions.node) ? process.execPath : await ensureNode(root, print)
  await ensureDependencies(root, node, print, { needsDevelopment })
  const program = programs.find((one) => one.entry === entry) ?? null
  const bundle = program === null ? null : await ensureBundle(root, node, program, print)
  if (bundle !== null) useBundle(bundle)
  const compiled = bundle === null ? join(root, 'node_modules/.cache/node-compile') : join(bundle, 'compiled')
  const env = {
    ...(program === null ? {} : nodeEnvironment),
    ...process.env,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || compiled,
  }
  const flags = [
    // Node 22 warns about features that are stable in Node 24.
    '--disable-warning=ExperimentalWarning',
    ...(program === null ? [] : nodeFlags(program, process.env.NODE_OPTIONS ?? '')),
    // stacks name sources
    ...(bundle === null ? [] : ['--enable-source-maps']),
  ]
  const file = bundle === null ? resolve(root, entry) : join(bundle, startOf(program.name))
  return runToEnd([node, ...flags, file, ...args], { env, output: 'inherit' })
}

// npm and its shell do not forward SIGTERM.
if (process.env.npm_lifecycle_event !== undefined) endWithParent()
try {
  process.exitCode = await launch(process.argv.slice(2))
} catch (error) {
  print(error instanceof LaunchError ? error.message : error.stack)
  process.exitCode = 1
}
