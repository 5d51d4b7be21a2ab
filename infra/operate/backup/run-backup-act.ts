import { codeOf } from '@probe-mesh/runtime/errors'
import { stat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { parseConfig, type Config } from '@probe-mesh/control-plane/app/config'
import { isPostgresUnavailable } from '@probe-mesh/control-plane/stores/postgres/connect'
import { printProblems, type AdminOutput } from '../output.ts'
import manifest from '../../package.json' with { type: 'json' }
import { parseBackupAct, type BackupAct } from './arguments.ts'
import { backUp } from './back-up.ts'
import { collectFiles, secretsKeyFile } from './kept-files.ts'
import { openForBackup } from './places.ts'
import { restore } from './restore.ts'

const secretCharactersMin = 16
const secretBytesMax = 4_096
const otherUsersMask = 0o077

/** The secret of an archive, with a warning about the permissions of its file. */
type ReadSecret = { ok: true; secret: string; warning: string | null } | { ok: false; problem: string }

/** Reads the key from its file or the environment. Problems never contain the key. */
const readSecret = async (
  file: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ReadSecret> => {
  if (file === null) return judged('BACKUP_KEY', environment['BACKUP_KEY'] ?? '', null)
  try {
    const handle = await open(file, 'r')
    try {
      const { mode, size } = await handle.stat()
      if (size > secretBytesMax)
        return { ok: false, problem: `${file} is larger than ${secretBytesMax} bytes` }
      const isOpen = process.platform !== 'win32' && (mode & otherUsersMask) !== 0
      const warning = isOpen ? `other users of this machine can read ${file}: run chmod 600 on it` : null
      return judged(file, await handle.readFile('utf8'), warning)
    } finally {
      await handle.close()
    }
  } catch (error) {
    return { ok: false, problem: `${file} cannot be read (${codeOf(error) || String(error)})` }
  }
}

const judged = (name: string, text: string, warning: string | null): ReadSecret => {
  const secret = text.trim()
  return secret.length < secretCharactersMin
    ? { ok: false, problem: `${name} must have ${secretCharactersMin} characters or more` }
    : { ok: true, secret, warning }
}

type Given = {
  config: Config
  secret: string
  keysDir: string
  output: AdminOutput
  now: () => number
}
/** Output as JSON, as text, and a note for stderr. */
type Done = { data: object; text: string; note: string } | { problems: string[] }

/**
 * Runs `admin backup` or `admin restore`. @returns the exit code: 0 for success, 1 with the reason on stderr
 */
export const runBackupAct = async (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: AdminOutput,
  now: () => number = Date.now,
): Promise<0 | 1> => {
  const fail = (problems: readonly string[]): 1 => printProblems(output, problems)
  const parsed = parseBackupAct(argv, environment)
  if (!parsed.ok) return fail(parsed.problems)
  const { act, keysDir, json } = parsed
  if (act.act === 'help') {
    output.out(act.text)
    return 0
  }
  const configured = parseConfig(environment)
  const key = await readSecret(parsed.keyFile, environment)
  if (!configured.ok || !key.ok) {
    return fail([...(configured.ok ? [] : configured.problems), ...(key.ok ? [] : [key.problem])])
  }
  if (key.warning !== null) output.error(`admin: ${key.warning}\n`)
  const { secret } = key
  try {
    const given = { config: configured.config, secret, keysDir, output, now }
    const done = await (act.act === 'backup' ? performBackup(act, given) : performRestore(act.from, given))
    if ('problems' in done) return fail(done.problems)
    output.out(json ? `${JSON.stringify(done.data, null, 2)}\n` : done.text)
    output.error(json ? '' : done.note)
    return 0
  } catch (error) {
    const why = isPostgresUnavailable(error)
      ? 'the database does not answer: start it, or correct DATABASE_URL'
      : messageOf(error)
    return fail([`${why} Nothing was ${act.act === 'backup' ? 'written' : 'restored'}.`])
  }
}

const performBackup = async (
  { to, withReadings }: Extract<BackupAct, { act: 'backup' }>,
  { config, secret, keysDir, output, now }: Given,
): Promise<Done> => {
  const { dataDir, secretsKey, clickhouseCluster } = config
  if (withReadings && clickhouseCluster !== null) {
    return {
      problems: [
        `readings are on ${clickhouseCluster.shards.length} shards of ${clickhouseCluster.name}. Use --without-readings, and back up readings with ClickHouse's BACKUP ON CLUSTER`,
      ],
    }
  }
  const path = (await isFolder(to)) ? join(to, nameAt(now())) : to
  const stores = await openForBackup(config)
  if (stores === null)
    return {
      problems: [`${dataDir} has nothing to back up: set DATA_DIR, or DATABASE_URL and CLICKHOUSE_URL`],
    }
  try {
    const files = await collectFiles({ dataDir, keysDir, secretsKey })
    const done = await backUp({
      stores,
      path,
      secret,
      files,
      withReadings,
      now,
      regions: config.regions,
      product: manifest.version,
      progress: (text) => output.error(`${text}\n`),
    })
    if ('problem' in done) return { problems: [done.problem] }
    const hasKey = files.some(({ name }) => name === secretsKeyFile)
    return {
      data: done,
      text: `${done.path}  ${done.bytes} bytes, of ${done.takenAt}\n`,
      note: hasKey
        ? 'Only this key opens the backup. Store the key elsewhere.\n'
        : 'The backup has no SECRETS_KEY. Set it as on the control planes, or store it yourself.\n',
    }
  } finally {
    await stores.close()
  }
}

const performRestore = async (from: string, { config, secret, keysDir, output }: Given): Promise<Done> => {
  const progress = (text: string) => output.error(`${text}\n`)
  const done = await restore({ config, path: from, secret, keysDir, progress })
  if ('problems' in done) return done
  const { takenAt, parts } = done.manifest
  const { dataDir, files } = done
  const rows = parts.reduce((sum, part) => sum + (part.rows ?? 0), 0)
  return {
    data: { takenAt, rows, parts, dataDir, files },
    text: `restored as of ${takenAt}: ${rows} rows\n`,
    note:
      dataDir === null
        ? 'Start the control planes with the SECRETS_KEY of the old ones.\n'
        : `Start it with DATA_DIR=${dataDir}.\n`,
  }
}

const nameAt = (ms: number): string =>
  `probe-mesh-${new Date(ms).toISOString().replaceAll(/[:.]/g, '-')}.tar.zst.age`

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `${error.message}${cause}.`
}
