import CPlatform

/// Lets the disk begin with what was written to a file; waits for nothing, and promises nothing.
///
/// - Parameter descriptor: an open file.
package func beginWriteback(of descriptor: Int32) { cplatform_begin_writeback(descriptor) }
