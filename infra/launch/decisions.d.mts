export const broughtNode: string
export const isGoodNode: (version: string) => boolean
export const nodePackage: (system: {
  platform: string
  arch: string
  glibc: boolean
}) => string | null
export const isInstalled: (facts: {
  lockHash: string
  rememberedHash: string | null
  lockChangedMs: number
  installedMs: number | null
}) => boolean
export const isNewSignal: (lastMs: number | null, nowMs: number) => boolean
