import { codeOf } from '@probe-mesh/runtime/errors'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { chromiumFlags } from './flags.ts'
import { commandOf, environmentOf, chownFolders, type ChromiumWay } from './sandbox.ts'

/** One running Chromium. */
export type Chromium = {
  readonly browser: Browser
  /** Id of its main process; null when unknown. */
  readonly pid: number | null
  /** The User-Agent for pages, before the agent's own name. */
  readonly userAgent: string
  /** Aborted when the process has ended, for any reason. */
  readonly ended: AbortSignal
  /** Ends it, by force if needed, and removes its profile. */
  close(): Promise<void>
}

const launchMsMax = 20_000
const closeMsMax = 2_000
const profilePrefix = 'probe-mesh-chromium-'

/** Loads the library, which blocks the event loop for some tenths of a second, once. */
export const loadPlaywright = async () => (await import('playwright-core')).chromium

/**
 * Starts Chromium with an empty profile. A pipe ties it to this process, so that both end together, and it
 * inherits no environment variables.
 * @throws Error when it cannot be started
 */
export const launchChromium = async (options: {
  executablePath: string
  way: ChromiumWay
  proxyPort: number
  /** Additional flags. */
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
    chownFolders(way, profile, artifactsDir)
    const { command, args } = commandOf(options.executablePath, way)
    // The plain launch leaves a folder behind when the agent is killed.
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
    if (browser === null) throw new Error('Chromium started without a browser object')
    browser.on('disconnected', () => ended.abort())
    const { pid, userAgent } = await readProcess(browser)
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

const readProcess = async (browser: Browser) => {
  const session = await browser.newBrowserCDPSession()
  const { userAgent } = await session.send('Browser.getVersion')
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pid = processInfo.find(({ type }) => type === 'browser')?.id ?? null
  return { userAgent, pid }
}

/**
 * Waits for work that may never end.
 * @returns whether it ended in time, with or without an error
 */
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
    // It has already ended.
  }
}

/** Removes profiles of killed agents, recognized by the process id in their name. */
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
    return codeOf(error) === 'EPERM'
  }
}
