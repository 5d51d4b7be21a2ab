export type Room = {
  /** The folder below the package's `folder`; `.` is the files beside the rooms. */
  name: string
  /** What a reader finds there. */
  about: string
  imports: readonly string[]
}

export type Package = {
  name: string
  /** Where its rooms stand, below the repository. */
  folder: string
  about: string
  /** The packages that it may import; a program imports no program. */
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
