// Starts a program of an installed package, whose packages npm has installed. Plain JavaScript, which Node 20 reads.
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startOf } from './bundles.mjs'
import { runToEnd } from './child.mjs'
import { isSupportedNode } from './decisions.mjs'
import { LaunchError, ensureNode } from './install.mjs'
import { nodeEnvironment, nodeFlags, programs } from './programs.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const print = (message) => process.stderr.write(`probe-mesh: ${message}\n`)

/**
 * Runs a program with the arguments of this process, to its end. An old Node brings Node 24 from the npm registry,
 * into the package's own folder.
 * @param {string} name of a program
 */
export const startInstalled = async (name) => {
  try {
    const program = programs.find((one) => one.name === name)
    const node = isSupportedNode(process.versions.node) ? process.execPath : await ensureNode(root, print)
    const flags = [
      '--disable-warning=ExperimentalWarning',
      '--enable-source-maps',
      ...nodeFlags(program, process.env.NODE_OPTIONS ?? ''),
    ]
    const env = {
      ...nodeEnvironment,
      ...process.env,
      PATH: [dirname(node), process.env.PATH].join(delimiter),
    }
    const file = join(root, 'program', name, startOf(name))
    process.exitCode = await runToEnd([node, ...flags, file, ...process.argv.slice(2)], {
      env,
      output: 'inherit',
    })
  } catch (error) {
    print(error instanceof LaunchError ? error.message : error.stack)
    process.exitCode = 1
  }
}
