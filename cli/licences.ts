import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The licences of the packages that modules are from, one after another: most ask that theirs goes
 * where the code goes.
 * @param modules paths of modules; ours have no `node_modules` in them
 * @throws where a package has no licence file: whoever adds it decides what that means
 */
export const licencesOf = async (modules: readonly string[]): Promise<string> => {
  const folders = new Set(
    modules.flatMap(
      (module) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? [],
    ),
  )
  const texts = await Promise.all([...folders].toSorted().map(licenceOf))
  return texts.join('\n\n')
}

const licenceOf = async (folder: string): Promise<string> => {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined) throw new Error(`${name} ${version} has no licence file (${license})`)
  return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`
}
