import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { EmbeddedServer } from '../../start/embedded/supervise.ts'
import { send } from './part.ts'
import type { Part } from './part.ts'

/**
 * An embedded server as a part. It ends with the test's process by itself, in whatever way that ends.
 * @param options.url where it is from its first start on
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
    // It stands still first: it starts no more, and none of its children sees it die and says so.
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
      // First the one that would start others.
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

/** A Postgres server's backends are sessions of their own. Where there is no /proc, they notice. */
const childrenOf = (parent: number): number[] =>
  (existsSync('/proc/self/stat') ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number)

/** @returns 0 for a process that has ended meanwhile */
const parentOf = (pid: string): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // pid (command) state parent ...: the command may hold anything, brackets too
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
