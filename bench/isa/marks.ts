/** Prefixes of the lines that compile.ts writes. The driver prints its own lines between them. */
export const DRIVER_MARK = 'CELLSTORM DRIVER ';
export const KERNEL_MARK = 'CELLSTORM KERNEL ';
/** Begins the second line of a kernel that equals an earlier one. The rest of the line names the earlier kernel. */
export const EQUAL_MARK = 'CELLSTORM EQUALS';
