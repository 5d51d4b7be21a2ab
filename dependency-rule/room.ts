export type Room = {
  /** A folder below the package's `folder`; `.`: the files in `folder` itself. */
  name: string
  /** Its content, in one line. */
  about: string
  imports: readonly string[]
}

export type Package = {
  name: string
  /** The path of its rooms in the repository. */
  folder: string
  about: string
  /** The packages that it may import. Programs do not import programs. */
  imports: readonly string[]
  /** From the top down. */
  rooms: readonly Room[]
}

/** @param imports the names, separated by spaces */
export const room = (name: string, about: string, imports = ''): Room => ({
  name,
  about,
  imports: imports === '' ? [] : imports.split(' '),
})
