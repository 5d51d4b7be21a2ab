import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { EmbeddedServer } from '../../start/embedded/supervise.ts'
import { send, type Part } from './part.ts'

/**
 * Creates a part from an embedded server, which ends with the process of the test in any case.
 * @param options.url its address at every start
 */
export const createStorePart = (options: {
  name: string
  url: string
  start: (behind: string) => Promise<EmbeddedServer>
}): Part & { readonly url: string } => {
  let url = options.url
  let server: EmbeddedServer | null = null
  let starting: Promise<unknown> = Promise.resolve()

  const running = (): EmbeddedServer => {
    if (server === null) throw new Error(`${options.name} is not running`)
    return server
  }
  const start = async () => {
    if (server !== null) throw new Error(`${options.name} is running already`)
    const started = await options.start(url)
    url = started.url
    server = started
    void started.exited.then(() => {
      if (server === started) server = null
    })
    return Date.now()
  }
  const kill = async () => {
    const victim = running()
    const at = Date.now()
    // Frozen first, so that it starts no child and no child reports its death.
    send(victim.pid, 'SIGSTOP')
    for (const pid of childrenOf(victim.pid)) send(pid, 'SIGKILL')
    send(-victim.pid, 'SIGKILL')
    await victim.exited
    server = null
    return at
  }
  let paused: number[] = []
  return {
    name: options.name,
    get url() {
      return url
    },
    get isAlive() {
      return server !== null
    },
    start: () => {
      const started = start()
      starting = started.catch(() => undefined)
      return started
    },
    kill,
    stop: async () => {
      await running().close()
      server = null
      return null
    },
    pause: () => {
      const { pid } = running()
      // the parent first, which could start others
      send(pid, 'SIGSTOP')
      paused = [pid, ...childrenOf(pid)]
      for (const pid of paused) send(pid, 'SIGSTOP')
    },
    resume: () => {
      for (const pid of paused) send(pid, 'SIGCONT')
      paused = []
    },
    // it logs nothing
    printed: () => '',
    processIds: () => (server === null ? [] : [server.pid, ...childrenOf(server.pid)]),
    close: async () => {
      await starting
      if (server !== null) await kill()
    },
  }
}

/** Backends of Postgres have their own sessions. Without /proc they notice the end themselves. */
const childrenOf = (parent: number): number[] =>
  (existsSync('/proc/self/stat') ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number)

/** @returns 0 for a process that has ended */
const parentOf = (pid: string): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // pid (command) state parent ...: the command may contain any characters, also brackets
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
