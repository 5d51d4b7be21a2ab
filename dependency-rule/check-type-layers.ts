/** The workspace of check types: a folder for each, whose files belong to the programs that use them. */
export const checkTypes = 'check-types'

type Layer = { package: string; room: string }

/** The layers of a check type by file or folder; every other file is a part of its settings. */
const layers: Readonly<Record<string, Layer>> = {
  // below the schema of readings, which has the details of every type
  reading: { package: 'contracts', room: 'check-readings' },
  'check-reading.ts': { package: 'contracts', room: 'check-readings' },
  probe: { package: 'probe-agent', room: checkTypes },
  page: { package: 'web', room: checkTypes },
}
const settings: Layer = { package: 'contracts', room: checkTypes }

/**
 * The program and the room that a file of a check type belongs to: an agent loads no form, and a browser no probe.
 * @returns null for files outside of check types
 */
export const layerOf = (path: string): Layer | null => {
  const [workspace, first = '', second] = path.split('/')
  if (workspace !== checkTypes) return null
  return layers[second ?? first] ?? settings
}
