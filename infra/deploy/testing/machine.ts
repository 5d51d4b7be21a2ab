import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, rmdir, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { settlesWithin } from '../../start/embedded/bounded.ts'

const execute = promisify(execFile)
const init = fileURLToPath(new URL('machine-init.sh', import.meta.url))
const bootMsMax = 120_000
const stopMsMax = 90_000
const commandMsMax = 900_000
const pollMs = 200
const outputBytesMax = 16 * 1024 * 1024
const unshared = ['--mount', '--pid', '--net', '--uts', '--ipc']
const namespaces = [...unshared, '--cgroup']

/** A Debian with a systemd as its first process, in namespaces of its own. What it changes is in one folder. */
export type Machine = {
  /** Its first process, as this machine knows it. */
  pid(): number
  /** Runs a script by its bash, as root. @throws Error with what it said, where it fails */
  run(script: string): Promise<string>
  /** A bash that stays, and what it is told stays with it. */
  openShell(): Promise<Shell>
  /** Writes a file, as an operator would copy one to it. */
  write(path: string, text: string): Promise<void>
  /** Shut down in order, and started again. */
  restart(): Promise<void>
  /** Ends it and takes away all that it made. */
  close(): Promise<void>
}

export type Shell = {
  /** Runs lines as if they were typed. @throws Error with what they said, where one fails */
  run(lines: string): Promise<string>
  close(): Promise<void>
}

/** Why no machine can be made here; null: one can. */
export const whyNoMachine = async (): Promise<string | null> => {
  if (process.platform !== 'linux') return 'it needs Linux'
  if (process.getuid?.() !== 0) return 'it needs root'
  if ((await cgroupMount()) === null) return 'no cgroup2 is mounted'
  const mounts = 'mount -t proc proc /proc && mount -t sysfs sysfs /sys'
  const args = [...namespaces, '--fork', 'sh', '-c', mounts]
  return execute('unshare', args).then(
    () => null,
    (error: unknown) => `namespaces are refused: ${String(error)}`,
  )
}

/**
 * @param options.root of a Debian with systemd, which stays as it is
 * @param options.see folders of this machine that it can read, by their places in it
 */
export const startMachine = async (options: {
  root: string
  name: string
  see: Readonly<Record<string, string>>
  /** What is in it before it starts, for what a machine has to begin with. */
  prepare(changes: string): Promise<void>
}): Promise<Machine> => {
  const folder = await mkdtemp(join(tmpdir(), 'machine-'))
  const cgroup = join((await cgroupMount()) ?? '', `probe-mesh-${randomBytes(6).toString('hex')}`)
  let running: { child: ChildProcess; pid: number } | null = null

  const start = async (): Promise<void> => {
    await mkdir(join(cgroup, 'machine'), { recursive: true })
    const seen = Object.entries(options.see).map(([to, from]) => `${from}:${to}`)
    const inside = ['sh', init, options.root, folder, join(cgroup, 'machine'), ...seen]
    // it ends with us, however we end
    const child = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', 'unshare', ...unshared, '--fork', '--kill-child', ...inside],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const said = collect(child)
    const pid = await firstProcess(child, said)
    running = { child, pid }
    await booted(pid)
  }
  const enter = (pid: number, ...command: string[]): string[] => [
    '--target',
    String(pid),
    ...namespaces,
    'env',
    '-i',
    '--chdir=/root',
    'HOME=/root',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...command,
  ]
  const booted = async (pid: number): Promise<void> => {
    const end = performance.now() + bootMsMax
    for (;;) {
      const state = await execute('nsenter', enter(pid, 'systemctl', 'is-system-running', '--wait'), {
        timeout: bootMsMax,
      }).catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))
      if (['running', 'degraded'].includes(state.stdout.trim())) return
      if (performance.now() > end) throw new Error(`systemd does not come up: ${state.stdout}`)
      await wait(pollMs)
    }
  }
  const there = (): { child: ChildProcess; pid: number } => {
    if (running === null) throw new Error('the machine is not running')
    return running
  }
  const run = async (script: string): Promise<string> => {
    const args = enter(there().pid, 'bash', '-euo', 'pipefail', '-c', script)
    const limits = { timeout: commandMsMax, maxBuffer: outputBytesMax }
    return execute('nsenter', args, limits).then(
      ({ stdout }) => stdout,
      (error: { stdout: string; stderr: string; message: string }) => {
        throw new Error(`${script}\n${error.stdout}\n${error.stderr || error.message}`)
      },
    )
  }
  const stop = async (): Promise<void> => {
    const { child } = there()
    const exited = once(child, 'exit')
    await run('systemctl poweroff --no-block')
    if (!(await settlesWithin(stopMsMax, exited))) throw new Error('the machine does not shut down')
    running = null
  }
  const close = async (): Promise<void> => {
    if (running !== null) {
      const { child } = running
      const exited = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await exited
      }
      running = null
    }
    await removeCgroup(cgroup)
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  try {
    for (const name of ['changes/etc', 'work', 'root']) {
      await mkdir(join(folder, name), { recursive: true })
    }
    await writeFile(join(folder, 'changes/etc/hostname'), `${options.name}\n`)
    await options.prepare(join(folder, 'changes'))
    await start()
  } catch (error) {
    await close()
    throw error
  }
  return {
    pid: () => there().pid,
    run,
    openShell: () => openShell(enter(there().pid, 'bash', '--noprofile', '--norc', '-euo', 'pipefail')),
    write: async (path, text) => {
      const place = Buffer.from(text).toString('base64')
      await run(`mkdir -p "$(dirname ${path})"; base64 -d > ${path} <<< ${place}`)
    },
    restart: async () => {
      await stop()
      await start()
    },
    close,
  }
}

const cgroupMount = async (): Promise<string | null> => {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  return /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1] ?? null
}

/** The last that a process said. */
const collect = (child: ChildProcess): (() => string) => {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-outputBytesMax)
    })
  }
  return () => text
}

/** The child of `unshare`, once it has become systemd. */
const firstProcess = async (child: ChildProcess, said: () => string): Promise<number> => {
  const end = performance.now() + bootMsMax
  const tasks = `/proc/${child.pid}/task/${child.pid}/children`
  while (performance.now() < end && child.exitCode === null && child.signalCode === null) {
    const pid = (await readFile(tasks, 'utf8').catch(() => '')).trim()
    const name = pid === '' ? '' : await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    if (name.trim() === 'systemd') return Number(pid)
    await wait(pollMs)
  }
  child.kill('SIGKILL')
  throw new Error(`the machine does not start: ${said()}`)
}

const openShell = async (args: readonly string[]): Promise<Shell> => {
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const said = collect(child)
  const exited = once(child, 'exit')
  return {
    run: async (lines) => {
      const mark = `end-of-block-${randomBytes(8).toString('hex')}`
      const from = said().length
      const file = `/tmp/${mark}`
      const text = Buffer.from(lines).toString('base64')
      // read from a file, so that no command takes the lines that follow it
      child.stdin.write(`base64 -d > ${file} <<< ${text}\n. ${file} < /dev/null\nrm ${file}\necho ${mark}\n`)
      const end = performance.now() + commandMsMax
      while (!said().includes(mark)) {
        const isOver = child.exitCode !== null || performance.now() > end
        if (isOver) throw new Error(`${lines}\nsaid:\n${said().slice(from)}`)
        await Promise.race([exited, wait(pollMs)])
      }
      return said().slice(from).replace(`${mark}\n`, '')
    },
    close: async () => {
      if (child.exitCode !== null) return
      child.stdin.end()
      if (!(await settlesWithin(10_000, exited))) child.kill('SIGKILL')
    },
  }
}

/** Groups can be removed when nothing is in them any more. */
const removeCgroup = async (path: string): Promise<void> => {
  const inside = await readdir(path, { withFileTypes: true }).catch(() => [])
  for (const entry of inside) if (entry.isDirectory()) await removeCgroup(join(path, entry.name))
  for (let tries = 0; tries < 50; tries += 1) {
    const done = await rmdir(path).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    )
    if (done) return
    await wait(pollMs)
  }
}
