import { CheckConfig } from '@probe-mesh/contracts/check/check-config'

/**
 * What a check of each type holds. `unknown` stands for what a newer version wrote: such a check is
 * listed and can be deleted, and is neither assigned, run nor changed by this one.
 */
export type StoredConfig = CheckConfig | { type: 'unknown' }

/**
 * A stored config as this version understands it. Pure: one row that it does not understand never
 * costs its neighbours.
 * @param type of the check's row, which its config must be of
 */
export const toStoredConfig = (config: unknown, type: string): StoredConfig => {
  const parsed = CheckConfig.safeParse(config)
  return parsed.success && parsed.data.type === type ? parsed.data : { type: 'unknown' }
}
