// `node infra/start/launch/launch.mjs [--development] <entry.ts> [args]`: the start of every npm script. It
// needs only Node and npm, installs the rest, and runs the entry. Plain JavaScript, because the system's Node
// may not support TypeScript.
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runToEnd } from './child.mjs'
import { isSupportedNode } from './decisions.mjs'
import { endWithParent } from './end-with-parent.mjs'
import { LaunchError, ensureDependencies, ensureNode } from './install.mjs'

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
  const env = {
    ...process.env,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(root, 'node_modules/.cache/node-compile'),
  }
  // Node 22 warns about features that are stable in Node 24.
  const flags = ['--disable-warning=ExperimentalWarning']
  return runToEnd([node, ...flags, resolve(root, entry), ...args], { env, output: 'inherit' })
}

// npm and its shell do not forward SIGTERM.
if (process.env.npm_lifecycle_event !== undefined) endWithParent()
try {
  process.exitCode = await launch(process.argv.slice(2))
} catch (error) {
  print(error instanceof LaunchError ? error.message : error.stack)
  process.exitCode = 1
}
