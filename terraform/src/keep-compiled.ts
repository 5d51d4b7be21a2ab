import { readdirSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { isAbsolute, join } from 'node:path'

/** About ten installed copies of the provider, 250 KB each. */
const filesMax = 80

/**
 * Keeps the compiled form of the provider's files in the user's cache folder: Terraform starts a provider three times
 * for one plan. Without such a folder, or where it cannot be written, every start compiles them.
 * @param enable returns a status where it fails; Node 22.0 lacks it
 */
export const keepCompiled = (
  environment: Readonly<Record<string, string | undefined>>,
  enable: ((folder: string) => unknown) | undefined = enableCompileCache,
): void => {
  const folder = folderOf(environment)
  if (folder === null || enable === undefined) return
  try {
    // a copy is kept by its path, so copies that are long gone would stay
    if (readdirSync(folder, { recursive: true }).length > filesMax) rmSync(folder, { recursive: true })
  } catch {
    // nothing is kept yet, or another process empties the folder
  }
  enable(folder)
}

const folderOf = ({
  XDG_CACHE_HOME: cache,
  HOME: home,
}: Parameters<typeof keepCompiled>[0]): string | null => {
  if (cache !== undefined && isAbsolute(cache)) return join(cache, 'terraform-provider-service')
  if (home !== undefined && isAbsolute(home)) return join(home, '.cache', 'terraform-provider-service')
  return null
}
