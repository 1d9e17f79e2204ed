! gfortran -O2 -shared -fPIC -I include -o libmine.so languages/mine.f90 languages/table.c
module mine
  use iso_c_binding
  implicit none

  type, bind(c) :: proof_t
    integer(c_int64_t) :: done, checksum
  end type

contains

  function unit(shared, own, number, ops, proof) bind(c) result(code)
    type(c_ptr), value :: shared, own
    integer(c_int64_t), value :: number, ops
    type(proof_t) :: proof
    integer(c_int) :: code
    integer(c_int64_t) :: op
    proof%checksum = 0
    do op = 1, ops
      proof%checksum = proof%checksum + mod(op * op + number, 1009_c_int64_t)
    end do
    proof%done = ops
    code = 0
  end function

end module
