import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runToEnd } from './child.mjs'
import { isUnanswered, pinnedNode, nodePackage, parseRemembered, planInstall } from './decisions.mjs'

const otherInstallWaitMs = 600_000
const otherInstallPollMs = 500
/** npm itself asks for 80 s, without a word. */
const registryMsMax = 8_000

/** A failure that the user can fix, shown without a stack. */
export class LaunchError extends Error {}

/** Install scripts never run. The programs do the necessary steps themselves. */
const always = ['--ignore-scripts', '--no-audit', '--no-fund']
const installs = {
  // existing packages stay, because a program may be running from them
  development: ['install', '--no-save', '--include=dev', ...always],
  all: ['ci', '--include=dev', ...always],
  production: ['ci', '--omit=dev', ...always],
}

const messages = {
  development: 'adding the packages of tests and tools (npm install)',
  all: 'installing the dependencies (npm ci); the first time this takes about a minute',
  production: 'installing the dependencies of production (npm ci); the first time this takes about a minute',
}

/**
 * Brings node_modules up to date with package-lock.json.
 * @param {string} root @param {string} node the binary to run npm with
 * @param {(message: string) => void} print
 * @param {{ needsDevelopment: boolean }} needs whether the packages of tests and tools are needed
 */
export const ensureDependencies = async (root, node, print, { needsDevelopment }) => {
  const lock = join(root, 'package-lock.json')
  const remembered = join(root, 'node_modules/.probe-mesh-lock')
  const lockHash = createHash('sha256').update(readFileSync(lock)).digest('hex')
  // npm writes this file when an install is complete.
  const installed = join(root, 'node_modules/.package-lock.json')
  const plan = () => {
    const last = existsSync(remembered) ? parseRemembered(readFileSync(remembered, 'utf8')) : null
    return planInstall({
      lockHash,
      remembered: last,
      lockChangedMs: statSync(lock).mtimeMs,
      installedMs: changedMs(installed),
      foundDevelopment: needsDevelopment && last?.lockHash !== lockHash && hasDevelopment(lock, installed),
      needsDevelopment,
    })
  }
  if (plan() === 'nothing') return
  await withInstallLock(root, print, async () => {
    const planned = plan()
    if (planned === 'nothing') return
    print(messages[planned])
    await npm(root, node, installs[planned], { print })
    writeFileSync(remembered, `${lockHash} ${planned === 'production' ? 'production' : 'all'}\n`)
    for (const name of unverified(root, lock)) {
      print(`${name} was installed without a checksum: package-lock.json has none (npm run lockfile)`)
    }
  })
}

/** @returns {Record<string, { dev?: boolean, integrity?: string, link?: boolean }>} by folder */
const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {}

/** Whether packages that only development needs are installed, if the lockfile names any. */
const hasDevelopment = (lock, installed) => {
  try {
    if (!Object.values(packagesOf(lock)).some(({ dev }) => dev === true)) return true
    // the target of a link exists whether it is installed or not
    return Object.entries(packagesOf(installed)).some(
      ([folder, { dev }]) => dev === true && folder.startsWith('node_modules/'),
    )
  } catch {
    // npm reports the problem of the lockfile
    return false
  }
}

/** Packages in node_modules whose checksum was not verified. */
const unverified = (root, lock) =>
  Object.entries(packagesOf(lock)).flatMap(([folder, { integrity, link }]) =>
    folder.includes('node_modules/') &&
    link !== true &&
    integrity === undefined &&
    existsSync(join(root, folder))
      ? [folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)]
      : [],
  )

/**
 * Installs Node from npm, verified by the checksum of its lockfile. The system's Node stays unchanged.
 * @param {string} root @param {(message: string) => void} print
 * @returns {Promise<string>} the path of the binary
 */
export const ensureNode = async (root, print) => {
  const { platform, arch, versions } = process
  const name = nodePackage({ platform, arch, glibc: isGlibc() })
  if (name === null) {
    throw new LaunchError(
      `Node ${versions.node} is too old, and npm has no Node for ${platform}-${arch}. Install Node 24 (22.19 or newer will do): https://nodejs.org`,
    )
  }
  const folder = join(root, 'infra/start/node')
  const binary = join(folder, 'node_modules', name, 'bin/node')
  const isInstalled = () => existsSync(binary) && packageVersion(folder, name) === pinnedNode
  if (isInstalled()) return binary
  let silent = null
  await withInstallLock(root, print, async () => {
    if (isInstalled()) return
    print(`Node ${versions.node} is too old: installing Node ${pinnedNode} in infra/start/node`)
    const flags = ['ci', '--ignore-scripts', '--include=optional', '--no-audit', '--no-fund']
    silent = await npm(folder, process.execPath, flags, { print, isDone: isInstalled })
  })
  if (isInstalled()) return binary
  // npm ends well when an optional package cannot be fetched
  throw new LaunchError(
    silent === null
      ? `npm fetched no ${name} ${pinnedNode}: its registry may not have it. Install Node 24 (22.19 or newer will do).`
      : `npm could not fetch ${name} ${pinnedNode}: the registry ${silent} did not answer. ${connectionAdvice}, or install Node 24 (22.19 or newer will do).`,
  )
}

const connectionAdvice =
  'Check the internet connection ("npm ping"; behind a proxy set HTTPS_PROXY) and start again'

/**
 * Runs npm. Where the registry does not answer, from its cache; where that has not everything, it names the registry
 * and lets npm ask on: a busy machine or a network that pauses is slow, too.
 * @param isDone whether npm brought everything: it ends well without an optional package
 * @returns the registry if it was silent at first; null: it was not
 */
const npm = async (folder, node, flags, { print, isDone = () => true }) => {
  const script = process.env.npm_execpath
  const isScript = script !== undefined && script.endsWith('npm-cli.js')
  const command = isScript ? [node, script] : ['npm']
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) }
  const attempt = (output, ...reach) =>
    runToEnd([...command, ...flags, ...reach, '--prefix', folder], { cwd: folder, env, output })
  const silent = await silentRegistry(command, { cwd: folder, env })
  if (silent !== null) {
    if ((await attempt('quiet', '--offline')) === 0 && isDone()) return silent
    print(
      `the registry ${silent} did not answer within ${registryMsMax / 1_000} s, and npm's cache does not have every package. npm asks on, for up to two minutes`,
    )
  }
  const code = await attempt(silent === null ? 'stderr' : 'quiet')
  if (code === 0) return silent
  throw new LaunchError(
    silent === null
      ? `npm ${flags[0]} in ${folder} failed with code ${code}; see its output above. Nothing was started.`
      : `the registry ${silent} did not answer. ${connectionAdvice}. Nothing was started.`,
  )
}

/** The registry of npm's settings if it does not answer; null: it does, if only with an error. */
const silentRegistry = async ([file, ...args], options) => {
  const ask = (...more) =>
    new Promise((resolve) => {
      const bounds = { ...options, timeout: registryMsMax, killSignal: 'SIGKILL' }
      execFile(file, [...args, ...more], bounds, (error, out, err) => {
        resolve({ out: out.trim(), isUnanswered: error !== null && (error.killed || isUnanswered(err)) })
      })
    })
  const [asked, { out }] = await Promise.all([
    ask('view', 'npm', 'version', '--fetch-retries=0', `--fetch-timeout=${registryMsMax}`),
    ask('config', 'get', 'registry'),
  ])
  return asked.isUnanswered ? out : null
}

/**
 * Runs one install at a time: concurrent ones in a folder would break each other. The second waits and finds
 * the work done.
 */
export const withInstallLock = async (root, print, act) => {
  const file = join(root, '.cache/installing')
  mkdirSync(join(root, '.cache'), { recursive: true })
  const end = performance.now() + otherInstallWaitMs
  for (let isAnnounced = false; !createLock(file); isAnnounced = true) {
    const holder = Number(existsSync(file) ? readFileSync(file, 'utf8') : 0)
    if (holder > 0 && !isRunning(holder)) {
      rmSync(file, { force: true })
      continue
    }
    if (!isAnnounced) print(`waiting for another install (process ${holder})`)
    if (performance.now() > end) throw new LaunchError(`another install holds ${file}`)
    await wait(otherInstallPollMs)
  }
  try {
    await act()
  } finally {
    rmSync(file, { force: true })
  }
}

const createLock = (file) => {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** @param {number} pid */
export const isRunning = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

const changedMs = (file) => (existsSync(file) ? statSync(file).mtimeMs : null)

const packageVersion = (folder, name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version

/** The packages contain binaries for glibc, which do not start on musl (Alpine). */
const isGlibc = () =>
  process.platform !== 'linux' || process.report.getReport().header.glibcVersionRuntime !== undefined
