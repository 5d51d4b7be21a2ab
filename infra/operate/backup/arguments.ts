import { resolve } from 'node:path'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import type { Environment } from '@probe-mesh/runtime/env'
import { optional, path, required } from '@probe-mesh/runtime/setting'

const common = {
  'key-file': optional(
    path,
    'BACKUP_KEY',
    'file with the key, at least 16 characters, readable by its owner only',
  ),
  keys: optional(path, 'NATS_KEYS, else nats', 'folder that "npm run nats-config" wrote'),
  json: flag('print the result as JSON'),
}

/** The key comes from exactly one of `--key-file` and BACKUP_KEY. */
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
    about: 'Back up the whole system into one encrypted file, and restore it.',
    commands: {
      backup: {
        summary: 'back up the system',
        judge: judgeKey('backup', hasKey),
        options: {
          to: required(path, 'a new file, or a folder for a file named by the time'),
          ...common,
          'without-readings': flag(
            'leave out ClickHouse (readings and error events): for clusters with their own backup',
          ),
        },
      },
      restore: {
        summary: 'restore a backup into an empty system',
        judge: judgeKey('restore', hasKey),
        options: { from: required(path, 'a file written by backup'), ...common },
      },
    },
    notes: `"openssl rand -base64 32 > backup.key" creates a key. Store it apart from the backups. Without the
key a backup cannot be opened.

backup works on DATABASE_URL and CLICKHOUSE_URL, or on the instance of DATA_DIR (default .data), running or
stopped. It copies Postgres and ClickHouse as of one instant while the system runs; writes of readings pause
for a moment. The file contains the keys of channels and of NATS, encrypted. It does not contain readings
that are still on agents.

restore needs an empty system: new databases, or a DATA_DIR that does not exist. It first reads the whole
file, and changes nothing if a check fails. Stop the old system before you start the new one. A restored
system has a new id. If it replaces the old system and uses its NATS, run
"npm run -s admin -- identity accept".`,
  })

export type BackupAct =
  | { act: 'backup'; to: string; withReadings: boolean }
  | { act: 'restore'; from: string }
  | { act: 'help'; text: string }

export type ParsedBackupAct =
  | { ok: true; act: BackupAct; keyFile: string | null; keysDir: string; json: boolean }
  | { ok: false; problems: string[] }

/** Parses the arguments after `admin`, and reports all problems at once. */
export const parseBackupAct = (argv: readonly string[], environment: Environment): ParsedBackupAct => {
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
