import type { Region } from '@probe-mesh/contracts/reading/regions'

export type RegionPlace = { name: string; lon: number; lat: number }

/**
 * The place of a region by its code, an airport code. An operator's region may have any code; a code that is
 * not listed here has no place on a map.
 */
const places: Readonly<Record<Region, RegionPlace>> = {
  iad: { name: 'Ashburn, Virginia', lon: -77.5, lat: 39 },
  sjc: { name: 'San Jose, California', lon: -121.9, lat: 37.4 },
  fra: { name: 'Frankfurt', lon: 8.7, lat: 50.1 },
  nrt: { name: 'Tokyo', lon: 140.4, lat: 35.8 },
  ams: { name: 'Amsterdam', lon: 4.8, lat: 52.3 },
  arn: { name: 'Stockholm', lon: 17.9, lat: 59.7 },
  bom: { name: 'Mumbai', lon: 72.9, lat: 19.1 },
  cdg: { name: 'Paris', lon: 2.5, lat: 49 },
  dfw: { name: 'Dallas, Texas', lon: -97, lat: 32.9 },
  dub: { name: 'Dublin', lon: -6.3, lat: 53.4 },
  gru: { name: 'São Paulo', lon: -46.5, lat: -23.4 },
  hkg: { name: 'Hong Kong', lon: 113.9, lat: 22.3 },
  icn: { name: 'Seoul', lon: 126.4, lat: 37.5 },
  jnb: { name: 'Johannesburg', lon: 28.2, lat: -26.1 },
  lhr: { name: 'London', lon: -0.5, lat: 51.5 },
  mad: { name: 'Madrid', lon: -3.6, lat: 40.5 },
  ord: { name: 'Chicago, Illinois', lon: -87.9, lat: 42 },
  scl: { name: 'Santiago', lon: -70.8, lat: -33.4 },
  sea: { name: 'Seattle, Washington', lon: -122.3, lat: 47.4 },
  sin: { name: 'Singapore', lon: 104, lat: 1.4 },
  syd: { name: 'Sydney', lon: 151.2, lat: -33.9 },
  waw: { name: 'Warsaw', lon: 21, lat: 52.2 },
  yyz: { name: 'Toronto', lon: -79.6, lat: 43.7 },
}

/** null if the place is unknown; it is never guessed. */
export const placeOf = (region: Region): RegionPlace | null => places[region] ?? null
