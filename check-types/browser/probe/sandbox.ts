import { execFile } from 'node:child_process'
import { accessSync, chownSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** How Chromium starts: its user, and whether its sandbox is on. */
export type ChromiumWay = {
  /** Numeric user and group; null: those of this process. */
  readonly user: number | null
  readonly isSandboxed: boolean
}

/**
 * Root runs Chromium as this user, which owns nothing and runs nothing else. It needs no account,
 * and is outside the ranges that systems assign.
 */
export const browserUser = 61_106

/** Enough for a cold start from a slow disk. */
const tryMsMax = 20_000
const outputBytesMax = 64 * 1024
const whyCharactersMax = 200
const setprivPaths = ['/usr/bin/setpriv', '/bin/setpriv', '/sbin/setpriv', '/usr/sbin/setpriv']

/**
 * The ways to try, best first. Chromium refuses its sandbox to root, so root starts it as another
 * user.
 * @param mayGoWithout the operator allows pages without a sandbox
 */
export const waysOf = (facts: { isRoot: boolean; mayGoWithout: boolean }): ChromiumWay[] => {
  const user = facts.isRoot ? browserUser : null
  const without: ChromiumWay[] = [
    { user, isSandboxed: false },
    ...(user === null ? [] : [{ user: null, isSandboxed: false }]),
  ]
  return [{ user, isSandboxed: true }, ...(facts.mayGoWithout ? without : [])]
}

/**
 * The command, and the arguments before Chromium's own.
 * @throws Error when root cannot switch to another user
 */
export const commandOf = (
  executablePath: string,
  { user }: ChromiumWay,
): { command: string; args: string[] } => {
  if (user === null) return { command: executablePath, args: [] }
  const setpriv = setprivPaths.find(isProgram)
  if (setpriv === undefined) {
    throw new Error('setpriv is missing: install util-linux, so that root can start Chromium as another user')
  }
  // also drops root's groups, and keeps the pipe to this process, which a shell would close
  const identity = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--inh-caps=-all']
  return { command: setpriv, args: [...identity, '--', executablePath] }
}

/** Chromium's whole environment. */
export const environmentOf = (profile: string): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: profile,
  TMPDIR: profile,
  LANG: 'C.UTF-8',
  DBUS_SESSION_BUS_ADDRESS: 'disabled:',
})

/** Makes Chromium's user the owner of folders. */
export const chownFolders = ({ user }: ChromiumWay, ...folders: string[]): void => {
  if (user === null) return
  for (const folder of folders) chownSync(folder, user, user)
}

/**
 * The first way in which Chromium draws a page on this machine. Only a trial shows whether the
 * kernel and a container allow the sandbox (S-3610).
 * @returns `why` the sandbox does not work, also with a way without it if the operator allows that
 */
export const findWay = async (
  executablePath: string,
  ways: readonly ChromiumWay[],
): Promise<{ way: ChromiumWay | null; why: string | null }> => {
  let why: string | null = null
  for (const way of ways) {
    const failure = await tryWay(executablePath, way)
    if (failure === null) return { way, why }
    why ??= failure
  }
  return { way: null, why }
}

const page = 'data:text/html,<title>drawn</title><script>document.title+=1+1</script>'

/**
 * @returns why it draws no page; null: it draws one
 */
const tryWay = async (executablePath: string, way: ChromiumWay): Promise<string | null> => {
  const profile = mkdtempSync(join(tmpdir(), `probe-mesh-chromium-${process.pid}-`))
  try {
    chownFolders(way, profile)
    const { command, args } = commandOf(executablePath, way)
    const flags = [
      '--headless',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      `--user-data-dir=${profile}`,
      ...(way.isSandboxed ? [] : ['--no-sandbox']),
      '--dump-dom',
      page,
    ]
    const { stdout } = await run(command, [...args, ...flags], {
      cwd: '/',
      env: environmentOf(profile),
      timeout: tryMsMax,
      killSignal: 'SIGKILL',
      maxBuffer: outputBytesMax,
    })
    return stdout.includes('<title>drawn2</title>') ? null : 'it drew no page'
  } catch (error) {
    return whyOf(error)
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Chromium's output explains a failure better than its exit code. */
const whyOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const output = 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : ''
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  const fatal = lines.find((line) => /FATAL|sandbox|cannot|denied/i.test(line)) ?? lines.at(-1)
  const isLate = 'killed' in error && error.killed === true
  const text = isLate ? `it drew no page within ${tryMsMax / 1_000} s` : (fatal ?? error.message)
  return text.replace(/^\[[^\]]*\]\s*/, '').slice(0, whyCharactersMax)
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
