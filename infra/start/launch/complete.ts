import { registryEntries, type Lockfile } from './lockfile.ts'

/**
 * Adds the checksums that a lockfile lacks, one package after the other.
 * @param integrityOf returns the registry's checksum of `name@version`; null: the registry has none
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
    // after the version, where npm writes it
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
