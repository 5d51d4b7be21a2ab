import { execFile, type ExecFileException } from 'node:child_process'
import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { createCommandPart } from '@probe-mesh/infra/testing/processes/command-part'
import type { Part } from '@probe-mesh/infra/testing/processes/part'

/** The packages of a server are hundreds of megabytes. */
const commandMsMax = 600_000
const outputBytesMax = 16 * 1024 * 1024

type Ran = { exitCode: number; out: string; err: string }

/** Somebody with an empty home and an environment that has only what is named here. */
export type Newcomer = {
  readonly home: string
  readonly path: string
  /** Puts a file of a release into the home. @returns its bytes */
  fetch(file: string): Promise<number>
  write(name: string, text: string): Promise<void>
  /** Types a command into a shell, in the home. */
  type(command: string, environment?: Readonly<Record<string, string>>): Promise<Ran>
  /** Types commands, the last of which stays, and waits until it is ready. */
  start(
    commands: readonly string[],
    how: { environment: Readonly<Record<string, string>>; isReady: () => Promise<boolean> },
  ): Promise<Part>
  /** Bytes in the home, or in some of it, without the data of programs. */
  bytes(...below: readonly string[]): Promise<number>
  close(): Promise<void>
}

/** @param path the folders of programs; `null`: only a shell and what unpacks archives, so no Node */
export const openNewcomer = async (path: readonly string[] | null): Promise<Newcomer> => {
  const folder = await mkdtemp(join(tmpdir(), 'newcomer-'))
  const home = join(folder, 'home')
  await mkdir(home)
  const programs = path ?? [await toolsOf(folder, ['sh', 'tar', 'gzip', 'sleep', 'stty', 'env'])]
  const searched = programs.join(delimiter)
  const own = { HOME: home, PATH: searched, LANG: 'C.UTF-8', ...wayToTheRegistry() }
  const started: Part[] = []
  return {
    home,
    path: searched,
    fetch: async (file) => {
      await copyFile(file, join(home, basename(file)))
      return (await lstat(file)).size
    },
    write: (name, text) => writeFile(join(home, name), text, { mode: 0o600 }),
    type: (command, environment = {}) => typed(command, { cwd: home, env: { ...own, ...environment } }),
    start: async (commands, { environment, isReady }) => {
      const before = commands.slice(0, -1).map((command) => `${command} && `)
      const part = createCommandPart({
        name: commands.join(' && '),
        command: ['/bin/sh', '-c', `cd '${home}' && ${before.join('')}exec ${commands.at(-1) ?? ''}`],
        environment: { ...own, ...environment },
        logFile: join(folder, `log-${started.length}`),
        isReady,
        readyMsMax: commandMsMax,
      })
      started.push(part)
      await part.start()
      return part
    },
    bytes: (...below) => sum((below.length === 0 ? ['.'] : below).map((name) => bytesOf(join(home, name)))),
    close: async () => {
      await Promise.all(started.map((part) => part.close()))
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

const typed = (command: string, options: { cwd: string; env: Record<string, string> }): Promise<Ran> =>
  new Promise((resolve) => {
    const limits = { ...options, timeout: commandMsMax, maxBuffer: outputBytesMax }
    execFile('/bin/sh', ['-c', command], limits, (error: ExecFileException | null, out, err) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 255), out, err }),
    )
  })

/** What this machine needs to reach the npm registry, such as an authority of its network. */
const wayToTheRegistry = (): Record<string, string> =>
  Object.fromEntries(
    ['NODE_EXTRA_CA_CERTS', 'npm_config_registry'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** A folder with links to some programs of this machine. */
const toolsOf = async (folder: string, names: readonly string[]): Promise<string> => {
  const tools = join(folder, 'tools')
  await mkdir(tools)
  for (const name of names) await symlink(`/usr/bin/${name}`, join(tools, name))
  return tools
}

const sum = async (counts: readonly Promise<number>[]): Promise<number> =>
  (await Promise.all(counts)).reduce((total, one) => total + one, 0)

/** The bytes of files at or below a path, hard links once. A running program's data in it changes: it is left out. */
const bytesOf = async (path: string, seen = new Set<number>()): Promise<number> => {
  const found = await lstat(path).catch(() => null)
  if (found === null || seen.has(found.ino)) return 0
  seen.add(found.ino)
  if (!found.isDirectory()) return found.isFile() ? found.size : 0
  let total = 0
  for (const name of await readdir(path)) {
    if (name !== '.data') total += await bytesOf(join(path, name), seen)
  }
  return total
}
