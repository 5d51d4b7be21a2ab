// `node infra/start/launch/launch.mjs [--development] <entry.ts> [args]`: what every npm script begins with. It needs
// nothing but a Node and npm, makes sure of the rest, and runs the entry. Plain JavaScript, since
// the system's Node may not know TypeScript.
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runToEnd } from './child.mjs'
import { isGoodNode } from './decisions.mjs'
import { endWithParent } from './end-with-parent.mjs'
import { LaunchError, ensureDependencies, ensureNode } from './install.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const say = (message) => process.stderr.write(`probe-mesh: ${message}\n`)

const launch = async (given) => {
  // What people run in production needs neither tests nor tools.
  const needsDevelopment = given[0] === '--development'
  const [entry, ...args] = needsDevelopment ? given.slice(1) : given
  if (entry === undefined) {
    throw new LaunchError('usage: launch.mjs [--development] <entry.ts> [args]')
  }
  // Node first: npm then runs on the one that the dependencies ask for.
  const node = isGoodNode(process.versions.node) ? process.execPath : await ensureNode(root, say)
  await ensureDependencies(root, node, say, { needsDevelopment })
  const env = {
    ...process.env,
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(root, 'node_modules/.cache/node-compile'),
  }
  // Node 22 still calls experimental what we use of it and what 24 calls stable.
  const flags = ['--disable-warning=ExperimentalWarning']
  return runToEnd([node, ...flags, resolve(root, entry), ...args], { env, output: 'inherit' })
}

// npm and its shell end at SIGTERM without passing it on to us.
if (process.env.npm_lifecycle_event !== undefined) endWithParent()
try {
  process.exitCode = await launch(process.argv.slice(2))
} catch (error) {
  say(error instanceof LaunchError ? error.message : error.stack)
  process.exitCode = 1
}
