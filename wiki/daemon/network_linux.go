package daemon

import "golang.org/x/sys/unix"

// NetworkDrive names the kind of the file system where changes come from other machines, "" for one of this machine's own (statfs(2)).
func NetworkDrive(dir string) string {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return ""
	}
	return map[int64]string{
		unix.NFS_SUPER_MAGIC: "nfs", unix.SMB_SUPER_MAGIC: "smb", unix.SMB2_SUPER_MAGIC: "smb2", unix.CIFS_SUPER_MAGIC: "cifs", unix.V9FS_MAGIC: "9p",
		unix.FUSE_SUPER_MAGIC: "fuse", unix.AFS_SUPER_MAGIC: "afs", unix.CODA_SUPER_MAGIC: "coda", unix.CEPH_SUPER_MAGIC: "ceph",
	}[int64(s.Type)]
}
