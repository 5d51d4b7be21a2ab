import { readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { bundleCommandLine } from '@probe-mesh/cli/package/bundle'
import { licencesOf } from '@probe-mesh/cli/package/licences'
import { tarGz } from '../archive.ts'
import { nodeFor, platforms, type Platform } from '../nodes.ts'
import type { Artefact, Release } from '../release.ts'
import { packSingleFile } from './pack.ts'
import { singleProgram, singlePrograms } from './program.ts'

export type SingleFile = {
  /** The name of the executable. */
  command: string
  modules: ReadonlyMap<string, string | Uint8Array>
  /** The modules in it, from the root. */
  sources: readonly string[]
  start: string
  flags: readonly string[]
}

/** Archives with one executable each, for each platform. */
export const makeSingleFiles = async (release: Release): Promise<Artefact[]> => {
  const { root, out, version, time } = release
  const artefacts: Artefact[] = []
  const licence = await readFile(join(root, 'LICENSE'))
  for (const program of await singleFiles(root)) {
    const licences = Buffer.from(await licencesOf(program.sources.map((source) => join(root, source))))
    for (const platform of platforms) {
      const name = `${program.command}-${version}-${platform}`
      const executable = join(out, `.${name}`)
      await packFor(root, program, { platform, out: executable })
      const file = `${name}.tar.gz`
      const entries = [
        { name: `${name}/${program.command}`, bytes: await readFile(executable), mode: 0o755 },
        { name: `${name}/LICENSE`, bytes: licence, mode: 0o644 },
        { name: `${name}/LICENCES.txt`, bytes: licences, mode: 0o644 },
      ]
      await writeFile(join(out, file), await tarGz(entries, time))
      await rm(executable)
      artefacts.push({ file, kind: 'single-file', platform, modules: program.sources, packages: {} })
    }
  }
  return artefacts
}

/** Writes the executable of a program for a platform. */
export const packFor = async (
  root: string,
  program: Pick<SingleFile, 'modules' | 'start' | 'flags'>,
  { platform, out }: { platform: Platform; out: string },
): Promise<void> =>
  packSingleFile({
    ...program,
    node: await nodeFor(platform, root),
    builder: await nodeFor(`linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`, root),
    out,
  })

/** The programs that are one file: the agent, the gateway and the command line. */
export const singleFiles = async (root: string): Promise<SingleFile[]> => {
  const services = await Promise.all(
    singlePrograms.map(async (name) => {
      const { files, loaded, later, start, flags } = await singleProgram(root, name)
      return { command: `probe-mesh-${name}`, modules: files, sources: [...loaded, ...later], start, flags }
    }),
  )
  const { files, modules } = await bundleCommandLine()
  const sources = modules.map((module) => relative(root, module))
  return [...services, { command: 'service', modules: files, sources, start: 'service.js', flags: [] }]
}
