import { resolve } from 'node:path'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import type { Environment } from '@probe-mesh/runtime/env'
import { optional, path, required } from '@probe-mesh/runtime/setting'

const common = {
  'key-file': optional(
    path,
    'BACKUP_KEY',
    'file with the key, at least 16 characters, that only its owner may read',
  ),
  keys: optional(path, 'NATS_KEYS, else nats', 'folder that "npm run nats-config" wrote'),
  json: flag('print the result as JSON'),
}

/** Exactly one of the two gives the key. */
const judgeKey =
  (name: string, hasKey: boolean) =>
  (given: Readonly<Record<string, unknown>>): string[] => {
    const hasFile = typeof given['key-file'] === 'string'
    if (hasFile && hasKey) return ['--key-file and BACKUP_KEY are both given']
    return hasFile || hasKey ? [] : [`${name} needs --key-file, or BACKUP_KEY`]
  }

/** @param hasKey whether the environment has a key */
const commandsWith = (hasKey: boolean) =>
  defineCommandLine({
    call: 'npm run -s admin --',
    about: 'A copy of the whole system in one sealed file, and back.',
    commands: {
      backup: {
        summary: 'copy the system',
        judge: judgeKey('backup', hasKey),
        options: {
          to: required(path, 'a new file, or a folder that gets one named by the time'),
          ...common,
          'without-readings': flag(
            'leave ClickHouse out, its readings and error events: for clusters that copy themselves',
          ),
        },
      },
      restore: {
        summary: 'write a copy into an empty system',
        judge: judgeKey('restore', hasKey),
        options: { from: required(path, 'a file that backup wrote'), ...common },
      },
    },
    notes: `"openssl rand -base64 32 > backup.key" creates a key. Keep it apart from the backups: without it
nobody can open them.

Works on DATABASE_URL and CLICKHOUSE_URL, or on the instance of DATA_DIR (default .data), whether or not
it runs. Both stores are copied as they were at one instant, while the system runs; writes of readings
wait for that instant. A backup holds the keys of channels and of NATS, sealed like all else. Readings
that wait on agents and are not stored yet are not in it.

restore needs an empty system: new databases, or a DATA_DIR that does not exist. It reads the whole file
first and changes nothing where anything does not fit. Stop the former system before the new one starts.
A restored system has an id of its own. Where it takes the place of the former one and finds its NATS,
"npm run -s admin -- identity accept" joins them.`,
  })

export type BackupAct =
  | { act: 'backup'; to: string; withReadings: boolean }
  | { act: 'restore'; from: string }
  | { act: 'help'; text: string }

export type ParsedBackupAct =
  | { ok: true; act: BackupAct; keyFile: string | null; keysDir: string; json: boolean }
  | { ok: false; problems: string[] }

/** Reads what follows `admin`. All problems are listed at once. Pure. */
export const parseBackupAct = (
  argv: readonly string[],
  environment: Environment,
): ParsedBackupAct => {
  const hasKey = (environment['BACKUP_KEY'] ?? '') !== ''
  const parsed = parseArgv(commandsWith(hasKey), argv)
  if (parsed.kind === 'wrong') return { ok: false, problems: parsed.problems }
  if (parsed.kind === 'help') {
    const act = { act: 'help', text: parsed.text } as const
    return { ok: true, act, keyFile: null, keysDir: '', json: false }
  }
  const { keys, json, 'key-file': keyFile } = parsed.given
  const read = {
    keyFile: keyFile === null ? null : resolve(keyFile),
    keysDir: resolve(keys ?? environment['NATS_KEYS'] ?? 'nats'),
    json,
  }
  return parsed.command === 'backup'
    ? {
        ok: true,
        act: {
          act: 'backup',
          to: resolve(parsed.given.to),
          withReadings: !parsed.given['without-readings'],
        },
        ...read,
      }
    : { ok: true, act: { act: 'restore', from: resolve(parsed.given.from) }, ...read }
}
