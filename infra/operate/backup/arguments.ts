import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const backupUsage = `A copy of the whole system in one sealed file, and back.

  npm run -s admin -- backup --to <file or folder> --key-file <file>
  npm run -s admin -- restore --from <file> --key-file <file>

  --to         a new file, or a folder that gets one named by the time
  --from       a file that backup wrote
  --key-file   a file with the key: 16 characters or more, of which only its owner may read.
               "openssl rand -base64 32 > backup.key" makes one. Keep it apart from the backups:
               without it they are worth nothing, and nobody can bring it back.
               BACKUP_KEY in the environment is the same
  --keys DIR   the folder that "npm run nats-config" wrote (NATS_KEYS, else nats), which is copied too
  --without-readings   leaves ClickHouse out: its readings and error events, for clusters that copy
               themselves
  --json       print the result as JSON

Works on DATABASE_URL and CLICKHOUSE_URL, or on the instance of DATA_DIR (default .data), whether or not
it runs. Both stores are copied as they were at one instant, while everything goes on; writes of readings
wait for that instant. A backup holds the keys of channels and of NATS, sealed like all else. What agents
have measured and nobody has stored yet is not in it: it waits with them.

restore wants an empty system: new databases, or a DATA_DIR that is not there. It reads the whole file
first and touches nothing where anything does not fit. Stop the former system before the new one starts.
What is restored is a system with an id of its own. Where it takes the place of the former one and finds
its NATS, "npm run -s admin -- identity accept" joins them.
`

export type BackupAct =
  | { act: 'backup'; to: string; withReadings: boolean }
  | { act: 'restore'; from: string }
  | { act: 'help' }

export type ParsedBackupAct =
  | { ok: true; act: BackupAct; keyFile: string | null; keysDir: string; json: boolean }
  | { ok: false; problems: string[] }

const optionsOf = {
  backup: ['to', 'key-file', 'keys', 'without-readings', 'json'],
  restore: ['from', 'key-file', 'keys', 'json'],
} as const

/** Reads what follows `admin`; of a wrong line it tells every problem. Pure. */
export const parseBackupAct = (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedBackupAct => {
  let parsed: ReturnType<typeof readArguments>
  try {
    parsed = readArguments(argv.slice(1))
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] }
  }
  const { values, positionals } = parsed
  const name = argv[0] === 'restore' ? 'restore' : 'backup'
  const common = {
    keyFile: values['key-file'] === undefined ? null : resolve(values['key-file']),
    keysDir: resolve(values.keys ?? environment['NATS_KEYS'] ?? 'nats'),
    json: values.json ?? false,
  }
  if (values.help === true) return { ok: true, act: { act: 'help' }, ...common }
  const problems: string[] = positionals.map((word) => `${name} takes no argument ${word}`)
  const known = new Set<string>(optionsOf[name])
  for (const option of Object.keys(values)) {
    if (!known.has(option)) problems.push(`${name} has no option --${option}`)
  }
  const hasKey = (environment['BACKUP_KEY'] ?? '') !== ''
  if (common.keyFile === null && !hasKey) problems.push(`${name} needs --key-file, or BACKUP_KEY`)
  if (common.keyFile !== null && hasKey) problems.push('--key-file and BACKUP_KEY are both given')
  const path = name === 'backup' ? values.to : values.from
  if (path === undefined || path === '') {
    problems.push(`${name} needs ${name === 'backup' ? '--to' : '--from'}`)
    return { ok: false, problems }
  }
  if (problems.length > 0) return { ok: false, problems }
  const act: BackupAct =
    name === 'backup'
      ? { act: name, to: resolve(path), withReadings: values['without-readings'] !== true }
      : { act: name, from: resolve(path) }
  return { ok: true, act, ...common }
}

const readArguments = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: true,
    options: {
      to: { type: 'string' },
      from: { type: 'string' },
      'key-file': { type: 'string' },
      keys: { type: 'string' },
      'without-readings': { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
