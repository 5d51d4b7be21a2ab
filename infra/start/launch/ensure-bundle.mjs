import { existsSync } from 'node:fs'
import { dirname, delimiter, join } from 'node:path'
import { currentBundle } from './bundles.mjs'
import { runToEnd } from './child.mjs'
import { withInstallLock } from './install.mjs'

/**
 * A bundle of a program as its sources are now. One is made if there is none, which takes seconds after an install
 * and after a change. Two starts make it once.
 * @param {string} root @param {string} node the binary that builds
 * @param {{ name: string }} program
 * @param {(message: string) => void} print
 * @returns {Promise<string | null>} its folder; null: it could not be made, so the sources run
 */
export const ensureBundle = async (root, node, { name }, print) => {
  const found = currentBundle(root, name)
  if (found !== null) return found
  const builder = join(root, 'infra/start/bundle/main.ts')
  if (!existsSync(builder)) return null
  try {
    await withInstallLock(root, print, async () => {
      if (currentBundle(root, name) !== null) return
      await runToEnd([node, '--disable-warning=ExperimentalWarning', builder, name], {
        cwd: root,
        env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
        output: 'quiet',
      })
    })
  } catch (error) {
    print(`starting from the sources: ${error.message}`)
    return null
  }
  const made = currentBundle(root, name)
  if (made === null) print(`starting from the sources, because ${name} could not be bundled: npm run bundle`)
  return made
}
