//! The memory allocator of the programs.

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;

use libmimalloc_sys::{
    mi_free, mi_malloc, mi_malloc_aligned, mi_realloc, mi_realloc_aligned, mi_zalloc, mi_zalloc_aligned,
};

/// mimalloc, called without an alignment where the default alignment suffices. If a call names an
/// alignment, its third version takes a larger block for each size that is not a power of two,
/// unless a block of the right size is free: about 190 more instructions, and memory.
pub struct Allocator;

/// Alignment of every block that is at least as large (`MI_MAX_ALIGN_SIZE`); smaller ones have
/// their size's.
const USUAL: usize = 16;

fn is_usual(align: usize, size: usize) -> bool {
    align <= USUAL && align <= size
}

// SAFETY: mimalloc's blocks are what `GlobalAlloc` asks for: of the size at least, aligned as above
// or as asked for, null if there is no memory. Blocks of all its calls may be resized and freed by
// any of them.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size();
        let align = layout.align();
        // SAFETY: any size may be asked for; the alignment is a power of two.
        let block =
            unsafe { if is_usual(align, size) { mi_malloc(size) } else { mi_malloc_aligned(size, align) } };
        block.cast()
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let size = layout.size();
        let align = layout.align();
        // SAFETY: as above.
        let block =
            unsafe { if is_usual(align, size) { mi_zalloc(size) } else { mi_zalloc_aligned(size, align) } };
        block.cast()
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller got the block here.
        unsafe { mi_free(block.cast::<c_void>()) };
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let block = block.cast::<c_void>();
        let align = layout.align();
        // SAFETY: the caller got the block here.
        let block = unsafe {
            if is_usual(align, size) {
                mi_realloc(block, size)
            } else {
                mi_realloc_aligned(block, size, align)
            }
        };
        block.cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_aligned_too() {
        for (size, align) in
            [(16, 16), (24, 8), (24, 16), (40, 8), (40, 16), (224, 8), (231, 16), (1040, 16), (5000, 16)]
        {
            let layout = Layout::from_size_align(size, align).expect("a layout");
            // SAFETY: any size may be asked for.
            let blocks: Vec<_> = (0..100).map(|_| unsafe { Allocator.alloc(layout) }).collect();
            assert!(blocks.iter().all(|block| block.addr().is_multiple_of(align)), "{size} {align}");
            for block in blocks {
                // SAFETY: it is freed once, with the layout it has.
                unsafe { Allocator.dealloc(block, layout) };
            }
        }
    }

    #[test]
    fn blocks_have_their_alignment_and_keep_what_is_in_them() {
        for align in [1, 2, 4, 8, 16, 32, 64, 4096] {
            for size in [1, 7, 8, 9, 16, 24, 40, 224, 231, 1000, 5000, 70_000, 3 << 20] {
                let layout = Layout::from_size_align(size, align).expect("a layout");
                let grown = Layout::from_size_align(size * 3, align).expect("a layout");
                // SAFETY: blocks are written within their sizes, and freed once with the layout
                // they have.
                unsafe {
                    let block = Allocator.alloc(layout);
                    assert!(!block.is_null() && block.addr().is_multiple_of(align), "{size} {align}");
                    block.write_bytes(7, size);
                    let block = Allocator.realloc(block, layout, size * 3);
                    assert!(!block.is_null() && block.addr().is_multiple_of(align), "{size} {align}, grown");
                    assert!(std::slice::from_raw_parts(block, size).iter().all(|byte| *byte == 7));
                    Allocator.dealloc(block, grown);
                    let zeroed = Allocator.alloc_zeroed(layout);
                    assert!(zeroed.addr().is_multiple_of(align), "{size} {align}, zeroed");
                    assert!(std::slice::from_raw_parts(zeroed, size).iter().all(|byte| *byte == 0));
                    Allocator.dealloc(zeroed, layout);
                }
            }
        }
    }
}
