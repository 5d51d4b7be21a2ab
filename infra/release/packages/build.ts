import { licencesOf } from '@probe-mesh/cli/package/licences'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { stagePrograms } from '../stage.ts'
import { serverPackages, type ServerPackage } from './packages.ts'

/** What starts a program: it runs on any Node, and brings a newer one where that is too old. */
const launcher = ['bundles', 'child', 'decisions', 'install', 'programs', 'start-installed'].map(
  (name) => `infra/start/launch/${name}.mjs`,
)
const newerNode = ['infra/start/node/package.json', 'infra/start/node/package-lock.json']

/**
 * Writes a package for npm: compiled programs, no workspaces, and exact versions of the packages that are not in it.
 * @param folder which is empty
 * @returns the modules in its bundles, from the root, and the packages that npm installs with it
 */
export const buildPackage = async (
  root: string,
  name: ServerPackage,
  { folder, version }: { folder: string; version: string },
): Promise<{ modules: string[]; packages: Record<string, string> }> => {
  const { description, programs } = serverPackages[name]
  const { shipped, modules } = await stagePrograms(root, Object.values(programs), folder)
  for (const file of [...launcher, ...newerNode, 'LICENSE']) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await cp(join(root, file), join(folder, file))
  }
  for (const [command, program] of Object.entries(programs)) {
    await mkdir(join(folder, 'bin'), { recursive: true })
    const start = `import('../infra/start/launch/start-installed.mjs').then((it) => it.startInstalled('${program}'))`
    await writeFile(join(folder, `bin/${command}.mjs`), `#!/usr/bin/env node\n${start}\n`, { mode: 0o755 })
  }
  await writeFile(join(folder, 'LICENCES.txt'), await licencesOf(modules.map((module) => join(root, module))))
  const dependencies = Object.assign({}, ...shipped.map((program) => program.packages))
  const optionalDependencies = Object.assign({}, ...shipped.map((program) => program.optional))
  const manifest = {
    name,
    version,
    description,
    license: 'Apache-2.0',
    type: 'module',
    bin: Object.fromEntries(Object.keys(programs).map((command) => [command, `bin/${command}.mjs`])),
    dependencies,
    optionalDependencies,
    engines: { node: '>=20' },
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return { modules, packages: { ...dependencies, ...optionalDependencies } }
}
