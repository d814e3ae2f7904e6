/** Begin lines of compile.ts, between which the driver prints its own. */
export const DRIVER_MARK = 'CELLSTORM DRIVER ';
export const KERNEL_MARK = 'CELLSTORM KERNEL ';
