import { registryEntries } from './lockfile.ts'
import type { Lockfile } from './lockfile.ts'

/**
 * Adds the checksums that a lockfile lacks, one package after the other.
 * @param integrityOf what the registry says of `name@version`; null: it does not have it
 */
export const completeLockfile = async (
  lockfile: Lockfile,
  integrityOf: (id: string) => Promise<string | null>,
): Promise<{ completed: string[]; withoutIntegrity: string[] }> => {
  const completed: string[] = []
  const withoutIntegrity: string[] = []
  for (const { folder, id, entry } of registryEntries(lockfile)) {
    if (entry.integrity !== undefined) continue
    const integrity = await integrityOf(id)
    if (integrity === null) {
      withoutIntegrity.push(id)
      continue
    }
    // where npm has it: after the version
    const { version, ...rest } = entry
    lockfile.packages[folder] = {
      ...(version === undefined ? {} : { version }),
      integrity,
      ...rest,
    }
    completed.push(id)
  }
  return { completed, withoutIntegrity: withoutIntegrity.toSorted() }
}
