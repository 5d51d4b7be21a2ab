import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { runToEnd } from './child.mjs'
import { broughtNode, isInstalled, nodePackage } from './decisions.mjs'

const otherInstallWaitMs = 600_000
const otherInstallPollMs = 500

/** A failure that the person at the terminal can act upon: shown without a stack. */
export class LaunchError extends Error {}

/**
 * Brings node_modules to what package-lock.json says.
 * @param {string} root @param {string} node the binary to run npm with
 * @param {(message: string) => void} say
 */
export const ensureDependencies = async (root, node, say) => {
  const lock = join(root, 'package-lock.json')
  const remembered = join(root, 'node_modules/.probe-mesh-lock')
  const lockHash = createHash('sha256').update(readFileSync(lock)).digest('hex')
  const isCurrent = () =>
    isInstalled({
      lockHash,
      rememberedHash: existsSync(remembered) ? readFileSync(remembered, 'utf8').trim() : null,
      lockChangedMs: statSync(lock).mtimeMs,
      // npm writes this file when an install is complete.
      installedMs: changedMs(join(root, 'node_modules/.package-lock.json')),
    })
  if (isCurrent()) return
  await alone(root, say, async () => {
    if (isCurrent()) return
    say('installing the dependencies (npm ci); the first time this takes about a minute')
    await npm(root, node, ['ci', '--include=dev', '--no-audit', '--no-fund'])
    writeFileSync(remembered, `${lockHash}\n`)
  })
}

/**
 * Brings Node itself, from npm and by its lockfile's checksum, and leaves the system's as it is.
 * @param {string} root @param {(message: string) => void} say
 * @returns {Promise<string>} the path of the binary
 */
export const ensureNode = async (root, say) => {
  const { platform, arch, versions } = process
  const name = nodePackage({ platform, arch, glibc: isGlibc() })
  if (name === null) {
    throw new LaunchError(
      `Node ${versions.node} is too old, and there is none to bring along for ${platform}-${arch}. Install Node 24 (22.19 or newer will do): https://nodejs.org`,
    )
  }
  const folder = join(root, 'infra/node')
  const binary = join(folder, 'node_modules', name, 'bin/node')
  const isThere = () => existsSync(binary) && packageVersion(folder, name) === broughtNode
  if (isThere()) return binary
  await alone(root, say, async () => {
    if (isThere()) return
    say(`Node ${versions.node} is too old: fetching Node ${broughtNode} into infra/node`)
    await npm(folder, process.execPath, [
      'ci',
      '--ignore-scripts',
      '--include=optional',
      '--no-audit',
      '--no-fund',
    ])
  })
  if (isThere()) return binary
  throw new LaunchError(`npm left no Node in ${binary}. Install Node 24 (22.19 or newer will do).`)
}

const npm = async (folder, node, flags) => {
  const script = process.env.npm_execpath
  const isScript = script !== undefined && script.endsWith('npm-cli.js')
  const command = isScript ? [node, script] : ['npm']
  const code = await runToEnd([...command, ...flags, '--prefix', folder], {
    cwd: folder,
    env: { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) },
    output: 'stderr',
  })
  if (code === 0) return
  throw new LaunchError(
    `npm ${flags[0]} in ${folder} failed with code ${code}; what it said stands above. Nothing was started.`,
  )
}

/** Two npm in one folder would spoil each other's work: the second waits, and finds it done. */
const alone = async (root, say, act) => {
  const file = join(root, '.cache/installing')
  mkdirSync(join(root, '.cache'), { recursive: true })
  const end = performance.now() + otherInstallWaitMs
  for (let told = false; !take(file); told = true) {
    const holder = Number(existsSync(file) ? readFileSync(file, 'utf8') : 0)
    if (holder > 0 && !isRunning(holder)) {
      rmSync(file, { force: true })
      continue
    }
    if (!told) say(`waiting for another install (process ${holder})`)
    if (performance.now() > end) throw new LaunchError(`another install holds ${file}`)
    await wait(otherInstallPollMs)
  }
  try {
    await act()
  } finally {
    rmSync(file, { force: true })
  }
}

const take = (file) => {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

const isRunning = (pid) => {
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

/** The packages hold binaries for glibc; on musl (Alpine) they would not start. */
const isGlibc = () =>
  process.platform !== 'linux' ||
  process.report.getReport().header.glibcVersionRuntime !== undefined
