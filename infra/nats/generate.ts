import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createUserSeed, publicKeyOf, userSeedIn } from '@probe-mesh/bus/nats/nkey'
import type { NatsArguments } from './arguments.ts'
import { serverConfiguration } from './configuration.ts'

const ownerOnly = 0o600
const ownerFolder = 0o700

export type GeneratedFile = { path: string; was: 'written' | 'kept' }

export type Generated = {
  configuration: string
  controlPlane: GeneratedFile
  agents: (GeneratedFile & { region: string })[]
  /** Secrets of regions that are not asked for: they are left alone, and open nothing. */
  leftOut: string[]
}

/**
 * Writes the server's configuration, and a secret for each who connects where there is none yet.
 * @throws Error where a file with the name of a secret holds none: it is never written over
 */
export const generateNatsConfiguration = async (wanted: NatsArguments): Promise<Generated> => {
  const { outDir, listen, storeDir } = wanted
  await mkdir(outDir, { recursive: true, mode: ownerFolder })
  const controlPlane = await keepSeed(join(outDir, 'control-plane.nk'), 'the control planes')
  const agents = []
  for (const region of wanted.regions) {
    const seed = await keepSeed(join(outDir, agentFile(region)), `the agents of ${region}`)
    agents.push({ region, ...seed })
  }
  const text = serverConfiguration({ listen, storeDir, controlPlaneKey: controlPlane.key, agents })
  const configuration = join(outDir, 'nats-server.conf')
  await replaceFile(configuration, text)
  const asked = new Set(wanted.regions.map(agentFile))
  const leftOut = (await readdir(outDir))
    .filter((name) => /^agent-.*\.nk$/.test(name) && !asked.has(name))
    .map((name) => join(outDir, name))
  return { configuration, controlPlane, agents, leftOut }
}

const agentFile = (region: string): string => `agent-${region}.nk`

const keepSeed = async (path: string, whose: string): Promise<GeneratedFile & { key: string }> => {
  const seed = createUserSeed()
  const text = `# The secret of ${whose} on NATS. Who has it can act as they do.\n${seed}\n`
  if (await createWhole(path, text)) return { path, was: 'written', key: publicKeyOf(seed) }
  const kept = userSeedIn(await readFile(path, 'utf8'))
  if (kept === null) throw new Error(`${path} is there and holds no seed of a NATS user`)
  return { path, was: 'kept', key: publicKeyOf(kept) }
}

/** All of it or nothing, also where the process is killed, and never over a file that is there. */
const createWhole = async (path: string, text: string): Promise<boolean> => {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: ownerOnly, flag: 'wx', flush: true })
    await link(draft, path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Whole at once: a server that reloads meanwhile reads the one or the other. */
const replaceFile = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, text, { mode: ownerOnly, flag: 'wx', flush: true })
    await rename(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}
