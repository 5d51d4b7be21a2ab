import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The licences of bundled packages: most require their text to go where the code goes.
 * @param paths of the modules; ours contain no `node_modules`
 * @throws Error for a package without a licence, since a person must decide what that means
 */
export const licencesOf = async (modules: readonly string[]): Promise<string> => {
  const folders = new Set(
    modules.flatMap((module) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)?.[1] ?? []),
  )
  const texts = await Promise.all([...folders].map(licenceOf))
  return texts.toSorted().join('\n\n')
}

const licenceOf = async (folder: string): Promise<string> => {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const { name, version, license, author, repository, homepage } = manifest
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence`)
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text =
    file === undefined
      ? `Comes without its text. By ${author?.name ?? author}, ${homepage ?? repository?.url ?? repository}`
      : (await readFile(join(folder, file), 'utf8')).trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}
