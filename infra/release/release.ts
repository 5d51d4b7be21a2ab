import type { Platform } from './nodes.ts'

/** What is made of a version. */
export type Release = {
  readonly root: string
  /** The folder of the files. */
  readonly out: string
  readonly version: string
  readonly providerVersion: string
  /** The commit, or null outside a checkout. */
  readonly commit: string | null
  /** The time of that commit: every file in an archive has it. */
  readonly time: Date
}

/** A file of a release. */
export type Artefact = {
  readonly file: string
  readonly kind:
    | 'single-file'
    | 'npm-package'
    | 'terraform-provider'
    | 'debian-package'
    | 'image'
    | 'chart'
    | 'document'
  /** null: it runs on every platform. */
  readonly platform: Platform | null
  /** The modules of packages in it, from the root, without those that an installer brings. */
  readonly modules: readonly string[]
  /** Packages that are installed with it, or inside it unbundled, by name and version. */
  readonly packages: Readonly<Record<string, string>>
  /** Debian packages in it, by name and version. */
  readonly system?: Readonly<Record<string, string>>
}
