export const pinnedNode: string
export const isSupportedNode: (version: string) => boolean
export const nodePackage: (system: { platform: string; arch: string; glibc: boolean }) => string | null
export type Remembered = { lockHash: string; hasDevelopment: boolean }
export const planInstall: (facts: {
  lockHash: string
  remembered: Remembered | null
  lockChangedMs: number
  installedMs: number | null
  foundDevelopment: boolean
  needsDevelopment: boolean
}) => 'nothing' | 'development' | 'all' | 'production'
export const parseRemembered: (text: string) => Remembered
export const isNewSignal: (lastMs: number | null, nowMs: number) => boolean
export const isUnanswered: (output: string) => boolean
