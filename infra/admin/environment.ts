import { optional, path, text, withDefault } from '@probe-mesh/runtime/setting'

/** What operator commands read besides what the control plane reads. */
export const operatorEnvironment = {
  NATS_KEYS: withDefault(
    path,
    'nats',
    'Folder that `npm run nats-config` wrote, unless `--keys` names one.',
  ),
  BACKUP_KEY: optional(
    text,
    'none',
    'Key of backups, at least 16 characters, unless `--key-file` names a file.',
    { isSecret: true },
  ),
}
