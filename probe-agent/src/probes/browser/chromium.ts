import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { chromiumFlags } from './flags.ts'
import { commandOf, environmentOf, giveTo } from './sandbox.ts'
import type { ChromiumWay } from './sandbox.ts'

/** One running Chromium. */
export type Chromium = {
  readonly browser: Browser
  /** Of its main process; null where the system did not say. */
  readonly pid: number | null
  /** What a page sees as its User-Agent, before the agent's own name. */
  readonly userAgent: string
  /** Aborted when the process has ended, for whatever reason. */
  readonly ended: AbortSignal
  /** Ends it, by force where it does not go, and removes what it kept. */
  close(): Promise<void>
}

const launchMsMax = 20_000
const closeMsMax = 2_000
const profilePrefix = 'probe-mesh-chromium-'

/** Loads the library: what it evaluates holds the event loop up for some tenths of a second, once. */
export const loadPlaywright = async () => (await import('playwright-core')).chromium

/**
 * Starts Chromium with an empty profile of its own. It hangs on a pipe to this process, so that it
 * ends with it, and gets nothing of its environment.
 * @throws Error when it cannot be started
 */
export const launchChromium = async (options: {
  executablePath: string
  way: ChromiumWay
  proxyPort: number
  /** Besides its own. */
  flags: readonly string[]
}): Promise<Chromium> => {
  const { way, proxyPort } = options
  const chromium = await loadPlaywright()
  removeAbandoned()
  const profile = mkdtempSync(join(tmpdir(), `${profilePrefix}${process.pid}-`))
  const removeProfile = (): void => rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
  const ended = new AbortController()
  try {
    const artifactsDir = join(profile, 'artifacts')
    mkdirSync(artifactsDir)
    giveTo(way, profile, artifactsDir)
    const { command, args } = commandOf(options.executablePath, way)
    // Not its plain launch, which leaves a folder of its own wherever the agent is killed.
    const own = await chromium.launchPersistentContext(profile, {
      executablePath: command,
      artifactsDir,
      acceptDownloads: false,
      serviceWorkers: 'block',
      ignoreDefaultArgs: true,
      args: [
        ...args,
        ...chromiumFlags({ proxyPort, profile, isSandboxed: way.isSandboxed }),
        ...options.flags,
      ],
      env: environmentOf(profile),
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
      timeout: launchMsMax,
    })
    const browser = own.browser()
    if (browser === null) throw new Error('Chromium came without its browser')
    browser.on('disconnected', () => ended.abort())
    const { pid, userAgent } = await introduce(browser)
    let closed: Promise<void> | null = null
    const close = async (): Promise<void> => {
      await within(browser.close(), closeMsMax)
      if (!ended.signal.aborted && pid !== null) kill(pid)
      removeProfile()
    }
    return { browser, pid, userAgent, ended: ended.signal, close: () => (closed ??= close()) }
  } catch (error) {
    removeProfile()
    throw error
  }
}

const introduce = async (browser: Browser) => {
  const session = await browser.newBrowserCDPSession()
  const { userAgent } = await session.send('Browser.getVersion')
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pid = processInfo.find(({ type }) => type === 'browser')?.id ?? null
  return { userAgent, pid }
}

/** Waits for work that may never end. @returns whether it ended in time, well or not */
export const within = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false)
    const end = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    work.then(end, end)
  })

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** An agent that was killed leaves its profile behind; its name tells whose it was. */
const removeAbandoned = (): void => {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(profilePrefix)) continue
    const pid = Number(name.slice(profilePrefix.length).split('-')[0])
    if (Number.isSafeInteger(pid) && pid > 0 && !isAlive(pid)) {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    }
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
