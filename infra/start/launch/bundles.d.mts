export type Stamp = [size: number, changedMs: number]
export const bundlesFolder: (root: string, name: string) => string
export const stampFile: string
export const startOf: (name: string) => string
export const stampOf: (file: string) => Stamp | null
export const stampTextOf: (
  root: string,
  files: ReadonlyMap<string, Stamp>,
  parts: ReadonlyMap<string, number>,
) => string
export const currentBundle: (root: string, name: string) => string | null
export const useBundle: (bundle: string) => void
export const removeOldBundles: (root: string, name: string) => void
