import { execFile, spawn, type ChildProcess } from 'node:child_process'
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

/** A Debian with systemd as its first process, in its own namespaces. Its changes are in one folder. */
export type Machine = {
  /** The pid of its first process on this machine. */
  pid(): number
  /** Runs a script in its bash as root. @throws Error with the output if it fails */
  run(script: string): Promise<string>
  /** Opens a bash that keeps its state between runs. */
  openShell(): Promise<Shell>
  /** Writes a file, like an operator who copies one to it. */
  write(path: string, text: string): Promise<void>
  /** Shuts it down in order and starts it again. */
  restart(): Promise<void>
  /** Ends it and removes all its changes. */
  close(): Promise<void>
}

type Shell = {
  /** Runs lines as if they were typed. @throws Error with the output if one fails */
  run(lines: string): Promise<string>
  close(): Promise<void>
}

/** The reason why no machine can run here; null: none. */
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
 * @param options.root of a Debian with systemd, which is not changed
 * @param options.see folders of this machine that it can read, by their paths in it
 */
export const startMachine = async (options: {
  root: string
  name: string
  see: Readonly<Record<string, string>>
  /** Writes files into it before it starts. */
  prepare(changes: string): Promise<void>
}): Promise<Machine> => {
  const folder = await mkdtemp(join(tmpdir(), 'machine-'))
  const cgroup = join((await cgroupMount()) ?? '', `probe-mesh-${randomBytes(6).toString('hex')}`)
  let running: { child: ChildProcess; pid: number } | null = null

  const start = async (): Promise<void> => {
    await mkdir(join(cgroup, 'machine'), { recursive: true })
    const seen = Object.entries(options.see).map(([to, from]) => `${from}:${to}`)
    const inside = ['sh', init, options.root, folder, join(cgroup, 'machine'), ...seen]
    // it ends with this process in any case
    const child = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', 'unshare', ...unshared, '--fork', '--kill-child', ...inside],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const output = collect(child)
    const pid = await firstProcess(child, output)
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
      if (performance.now() > end) throw new Error(`systemd did not start: ${state.stdout}`)
      await wait(pollMs)
    }
  }
  const current = (): { child: ChildProcess; pid: number } => {
    if (running === null) throw new Error('the machine is not running')
    return running
  }
  const run = async (script: string): Promise<string> => {
    const args = enter(current().pid, 'bash', '-euo', 'pipefail', '-c', script)
    const limits = { timeout: commandMsMax, maxBuffer: outputBytesMax }
    return execute('nsenter', args, limits).then(
      ({ stdout }) => stdout,
      (error: { stdout: string; stderr: string; message: string }) => {
        throw new Error(`${script}\n${error.stdout}\n${error.stderr || error.message}`)
      },
    )
  }
  const stop = async (): Promise<void> => {
    const { child } = current()
    const exited = once(child, 'exit')
    await run('systemctl poweroff --no-block')
    if (!(await settlesWithin(stopMsMax, exited))) throw new Error('the machine did not shut down')
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
    pid: () => current().pid,
    run,
    openShell: () => openShell(enter(current().pid, 'bash', '--noprofile', '--norc', '-euo', 'pipefail')),
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

/** Collects the end of the output of a process. */
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
const firstProcess = async (child: ChildProcess, output: () => string): Promise<number> => {
  const end = performance.now() + bootMsMax
  const tasks = `/proc/${child.pid}/task/${child.pid}/children`
  while (performance.now() < end && child.exitCode === null && child.signalCode === null) {
    const pid = (await readFile(tasks, 'utf8').catch(() => '')).trim()
    const name = pid === '' ? '' : await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    if (name.trim() === 'systemd') return Number(pid)
    await wait(pollMs)
  }
  child.kill('SIGKILL')
  throw new Error(`the machine did not start: ${output()}`)
}

const openShell = async (args: readonly string[]): Promise<Shell> => {
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const output = collect(child)
  const exited = once(child, 'exit')
  return {
    run: async (lines) => {
      const mark = `end-of-block-${randomBytes(8).toString('hex')}`
      const from = output().length
      const file = `/tmp/${mark}`
      const text = Buffer.from(lines).toString('base64')
      // from a file, so that no command reads the following lines
      child.stdin.write(`base64 -d > ${file} <<< ${text}\n. ${file} < /dev/null\nrm ${file}\necho ${mark}\n`)
      const end = performance.now() + commandMsMax
      while (!output().includes(mark)) {
        const isOver = child.exitCode !== null || performance.now() > end
        if (isOver) throw new Error(`${lines}\noutput:\n${output().slice(from)}`)
        await Promise.race([exited, wait(pollMs)])
      }
      return output().slice(from).replace(`${mark}\n`, '')
    },
    close: async () => {
      if (child.exitCode !== null) return
      child.stdin.end()
      if (!(await settlesWithin(10_000, exited))) child.kill('SIGKILL')
    },
  }
}

/** A cgroup can be removed when it is empty. */
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
