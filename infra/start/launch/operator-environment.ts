import { allowNothing, parseAllowList } from '@probe-mesh/contracts/target/address'
import { probingEnvironment } from '@probe-mesh/probe-agent/environment'
import { list, optional, path, right, text, withDefault, wrong } from '@probe-mesh/runtime/setting'

/** Variables of operator commands, besides those of the control plane. */
export const operatorEnvironment = {
  NATS_KEYS: withDefault(path, 'nats', 'Folder that `npm run nats-config` wrote, unless `--keys` names one.'),
  BACKUP_KEY: optional(
    text,
    'none',
    'Key of backups, at least 16 characters, unless `--key-file` names a file.',
    { isSecret: true },
  ),
}

/** Variables of catalog commands. */
export const catalogEnvironment = {
  CATALOG_FILE: optional(path, 'the built-in catalog', 'The catalog, unless `--catalog` names one.'),
  TARGET_ALLOW: withDefault(
    list('CIDRs', (ranges) => {
      const parsed = parseAllowList(ranges)
      return parsed.ok ? right(parsed.allow) : wrong(...parsed.problems)
    }),
    allowNothing,
    'Networks that may be probed although they are not public.',
    { shown: 'none' },
  ),
  CANARIES: probingEnvironment.CANARIES,
}
