/** Every victim after every event type, as `make chaos` runs it. */
export const isFullMatrix = process.env['CHAOS_MATRIX'] === 'full'
